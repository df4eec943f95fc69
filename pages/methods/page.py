from ui import blocks, reads

snapshot = reads.snapshot()
blocks.show_title("Methods")
blocks.show_caption(f"Snapshot {snapshot.snapshot_id}")
