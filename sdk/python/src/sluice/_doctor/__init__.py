"""The doctor: tries each thing that a decision needs on its way, and says what to do."""
