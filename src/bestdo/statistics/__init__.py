"""The sums over rounds that learners ask for, one file per statistic."""
