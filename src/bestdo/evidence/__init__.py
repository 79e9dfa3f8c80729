"""Whether the data agree with the graph, and how sure they are: alarms, confidence sequences, what old data answer."""
