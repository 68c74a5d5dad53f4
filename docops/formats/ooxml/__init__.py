"""What xlsx, docx and pptx share: the package, relationships, canonical XML, drawing colours, limits (ECMA-376 / ISO 29500)."""
