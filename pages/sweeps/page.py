from ui import blocks, sweep_board, sweep_compose, sweep_preview

STEM = "sweeps"

blocks.show_title("Sweeps")
sweep_board.show_sweeps()
composed = sweep_compose.pick_study()
if composed:
    sweep_preview.show_preview(composed)
blocks.show_reading(STEM)
if composed:
    blocks.show_engine_line(sweep_compose.command_of(composed))
