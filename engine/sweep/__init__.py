"""Running embedding models over tasks and prompts, and leaving MTEB result files behind."""
