extension ConfigurationKey {
    /// The head of the table of settings in Docs/Configuration.md.
    package static let documentationHead = """
        | setting | allowed | default | from | meaning |
        |---|---|---|---|---|
        """

    /// This key's line in that table. A test holds the page to it.
    package var documentationRow: String {
        let value = defaultText.isEmpty ? "none" : "`\(defaultText)`"
        return "| `\(path)` | \(kindName) | \(value) | \(provenance.rawValue) | \(meaning)\(restart) |"
    }

    private var restart: String { isReadAtStartOnly ? " *Restart.*" : "" }
}
