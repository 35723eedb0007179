"""What a person is asked, what the answer means, and what of it is remembered."""
