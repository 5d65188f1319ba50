extension ConfigurationKey {
    /// The header of the table of settings in Docs/Operate/Configuration.md.
    package static let documentationHead = """
        | setting | allowed | default | from | meaning |
        |---|---|---|---|---|
        """

    /// The row of this key in that table. A test compares the page with it.
    package var documentationRow: String {
        let value = defaultText.isEmpty ? "none" : "`\(defaultText)`"
        return "| `\(path)` | \(kindName) | \(value) | \(provenance.rawValue) | \(meaning)\(restart) |"
    }

    private var restart: String { isReadAtStartOnly ? " *Restart.*" : "" }
}
