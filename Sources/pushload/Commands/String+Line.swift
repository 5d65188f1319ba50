extension String {
    /// Its first line.
    var firstLine: String { split(separator: "\n").first.map(String.init) ?? "" }
}
