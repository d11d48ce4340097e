"""One adapter a file. Each is run by ``worker.py`` inside its own virtual environment and imports nothing of the others."""
