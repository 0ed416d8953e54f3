"""What the user wants, one subject a file. Each class is a part of the controller, which owns it."""
