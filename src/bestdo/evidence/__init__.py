"""The agreement of data and graph, and how sure it is: alarms, confidence sequences, the answers of old data."""
