"""Doctor: checks each step that a decision passes, and says how to fix what fails."""
