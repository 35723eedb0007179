"""What names stand for, in the file and in the modules beside it."""
