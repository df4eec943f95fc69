"""Charts: frames in, figures out; nothing here knows of Streamlit."""
