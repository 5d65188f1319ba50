internal import Glibc
internal import PushOperations
internal import PushWire

/// Where results go. Unlike `print`, a line that could not be written is an error: half a result must not end
/// with 0.
enum StandardOutput {
    static func line(_ text: String) throws(CommandFailure) {
        try FileWriter.writeAll(Array((text + "\n").utf8), to: STDOUT_FILENO, name: name)
    }

    /// As they are.
    static func bytes(_ bytes: [UInt8]) throws(CommandFailure) {
        try FileWriter.writeAll(bytes, to: STDOUT_FILENO, name: name)
    }

    static func lines(_ lines: [String]) throws(CommandFailure) {
        guard !lines.isEmpty else { return }
        try line(lines.joined(separator: "\n"))
    }

    /// A view in its JSON form.
    static func json(_ view: some Encodable) throws { try line(JSONValue(encoding: view).text) }

    /// What became of it, as a sentence or in its JSON form.
    static func answer(_ view: some Encodable, _ json: JSONOption, _ text: String) throws {
        if json.isWanted { try self.json(view) } else { try line(text) }
    }

    static let name = "standard output"
}
