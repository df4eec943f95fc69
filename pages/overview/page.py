from ui import blocks, reads

snapshot = reads.snapshot()
blocks.show_title("What is this score made of?")
blocks.show_caption(f"Snapshot {snapshot.snapshot_id}")
