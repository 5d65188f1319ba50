/// What a name must keep to that somebody gives to a service, an app, a variable or a sound: it can stand in
/// a line of text and be typed again.
package enum NameRule {
    package static let maximumBytes = 256

    package static func accepts(_ text: String) -> Bool { fault(of: text) == nil }

    static func check(_ text: String, _ what: String) throws(OperationError) {
        if let fault = fault(of: text) { throw .refused("\(what) \"\(text.prefix(64))\" \(fault)") }
    }

    /// The name of something that has an address, as `/services/NAME`. Clients and proxies take `.` and `..`
    /// out of a path before they send it (RFC 3986, 5.2.4), also as `%2E`: nobody could reach what has such a
    /// name.
    static func check(addressed text: String, _ what: String) throws(OperationError) {
        try check(text, what)
        guard text != ".", text != ".." else {
            throw .refused("\(what) \"\(text)\" means a folder in an address; choose another name")
        }
    }

    /// What people read and nobody types: empty is allowed.
    static func check(label text: String, _ what: String) throws(OperationError) {
        guard !text.isEmpty, let fault = fault(of: text) else { return }
        throw .refused("\(what) \"\(text.prefix(64))\" \(fault)")
    }

    /// As much of a label as there may be.
    static func cut(_ label: String) -> String {
        var label = label
        while label.utf8.count > maximumBytes { label.removeLast() }
        return label
    }

    private static func fault(of text: String) -> String? {
        guard !text.isEmpty else { return "is empty" }
        guard text.utf8.count <= maximumBytes else { return "is longer than \(maximumBytes) bytes" }
        guard !text.unicodeScalars.contains(where: isInvisible) else {
            return "holds a line break or another character that nobody sees"
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
        // What joins emoji and letters of some scripts is seen in what it joins.
        case .format: scalar.value != 0x200C && scalar.value != 0x200D
        default: false
        }
    }
}
