"""Features deleted or corrupted at test time (Globerson & Roweis 2006; Dekel, Shamir & Xiao 2010)."""
