"""Statistics over frames: pure functions that know neither paths, nor connections, nor widgets."""
