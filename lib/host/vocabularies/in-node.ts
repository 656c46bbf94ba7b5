// Stands in for `#host/NAME` in Node, where vocabularies are files found by name.
