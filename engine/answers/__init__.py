"""One module a question: reads frames from a snapshot, calls the analysis, returns its frozen result.

The command line (`engine show`) and the pages (`ui.reads`) ask the same functions, so both print the same numbers.
"""
