"""Evidence: reads files into documents of tables and prose, and finds rows with their headers."""
