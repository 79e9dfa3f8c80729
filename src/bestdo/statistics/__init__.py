"""The statistics: sums over rounds that learners ask for, one file each."""
