"""The sections of reports, one noun each, from the answer of a study: sentences, and the parts of them that pages mark up."""
