"""What is neither page nor engine: charts, cached reads, widgets and the pieces that pages are put together from."""
