"""The words sent to models, one Markdown file each. Edit them freely: code names the files and fills the {places}."""
