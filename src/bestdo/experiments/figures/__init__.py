"""One file per figure: its settings, worlds, learners and captions."""
