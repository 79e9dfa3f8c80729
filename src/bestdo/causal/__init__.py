"""What causes what: graphs, interventions, models, and what can be learned from what. No bandits here."""
