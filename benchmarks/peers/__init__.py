"""The desk beside what a user would pick instead: the same chunks, questions and embedding model, in one run."""
