"""Outside files into validated frames: the store is never seen from here, `engine.pipeline` puts the frames in."""
