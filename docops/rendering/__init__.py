"""Pictures of documents: what a reader would see, for judges and for leaves that look at screenshots."""
