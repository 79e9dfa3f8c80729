"""The values and protocols of bandits: problems, rounds, plans, sums, learners and estimates. No algorithms."""
