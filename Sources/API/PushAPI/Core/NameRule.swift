/// The rules for the name of a service, an app, a variable or a sound: it must fit on one line of text, and a
/// person must be able to type it.
package enum NameRule {
    package static let maximumBytes = 256

    package static func accepts(_ text: String) -> Bool { fault(of: text) == nil }

    static func check(_ text: String, _ what: String) throws(OperationError) {
        if let fault = fault(of: text) { throw .refused("\(what) \"\(text.prefix(64))\" \(fault)") }
    }

    /// Checks the name of an object that has an address, such as `/services/NAME`. Clients and proxies remove
    /// `.` and `..` from a path before they send it (RFC 3986, 5.2.4), even if the path contains them as
    /// `%2E`. An object with such a name would be unreachable.
    static func check(addressed text: String, _ what: String) throws(OperationError) {
        try check(text, what)
        guard text != ".", text != ".." else {
            throw .refused("\(what) \"\(text)\" would be a folder in a URL; choose another name")
        }
    }

    /// Checks a display text, which people read but do not type. It may be empty.
    static func check(label text: String, _ what: String) throws(OperationError) {
        guard !text.isEmpty, let fault = fault(of: text) else { return }
        throw .refused("\(what) \"\(text.prefix(64))\" \(fault)")
    }

    /// Returns a label, cut to the maximum length.
    static func cut(_ label: String) -> String {
        var label = label
        while label.utf8.count > maximumBytes { label.removeLast() }
        return label
    }

    private static func fault(of text: String) -> String? {
        guard !text.isEmpty else { return "is empty" }
        guard text.utf8.count <= maximumBytes else { return "is longer than \(maximumBytes) bytes" }
        guard !text.unicodeScalars.contains(where: isInvisible) else {
            return "contains a line break or another invisible character"
        }
        let edges = [text.unicodeScalars.first, text.unicodeScalars.last]
        guard !edges.contains(where: { $0?.properties.isWhitespace == true }) else {
            return "begins or ends with a space"
        }
        return nil
    }

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse: true
        // The two joiner characters are allowed: they visibly change emoji and the letters of some scripts.
        case .format: scalar.value != 0x200C && scalar.value != 0x200D
        default: false
        }
    }
}
