/// What the feedback service has to tell, read from a file and told once.
///
/// A line is `SECONDS TOKEN` (since 1970; hexadecimal digits), or damages the tuple of the next such line:
/// `cut N` ends the connection after N bytes of it, `length N` makes it claim a token of N bytes. '#' begins
/// a comment. A file that is not there is an empty list. Once told, the list is empty until the file is
/// another.
package final class FeedbackList {
    /// What is sent to who connects.
    package struct Telling: Equatable {
        package var bytes: [UInt8] = []
        /// Tuples that are whole and say what they should.
        package var tuples = 0
    }

    private let file: String?
    private var told: Files.Version?

    /// Throws where the file is there and wrong. Nil: there is nothing to tell.
    package init(file: String?) throws(SinkError) {
        self.file = file
        if let file, Files.exists(file) { _ = try Self.telling(Files.text(file), file: file) }
    }

    /// The list, for the one who connects just now.
    package func take() throws(SinkError) -> Telling {
        guard let file, let version = Files.version(of: file), version != told else { return Telling() }
        let telling = try Self.telling(Files.text(file), file: file)
        told = version
        return telling
    }

    /// Reads the text of such a file; `file` is its name for the error.
    package static func telling(_ text: String, file: String) throws(SinkError) -> Telling {
        var telling = Telling()
        var cut: Int?, length: Int?
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
            guard !words.isEmpty else { continue }
            func problem(_ text: String) -> SinkError {
                SinkError.line(index, of: file, text)
            }
            guard words.count == 2 else { throw problem("a line is 'SECONDS TOKEN', 'cut N' or 'length N'") }
            if words[0] == "cut" || words[0] == "length" {
                guard let number = UInt16(words[1]) else {
                    throw problem("'\(words[0])' needs a number from 0 to 65535")
                }
                if words[0] == "cut" { cut = Int(number) } else { length = Int(number) }
                continue
            }
            guard let seconds = UInt32(words[0]) else {
                throw problem("'\(words[0])' is not a time in seconds")
            }
            guard let token = Hex.bytes(words[1]), !token.isEmpty, token.count <= 65_535 else {
                throw problem("'\(words[1])' is not a token in hexadecimal digits")
            }
            let claimed = UInt16(clamping: length ?? token.count)
            let tuple =
                withUnsafeBytes(of: seconds.bigEndian) { Array($0) }
                + withUnsafeBytes(of: claimed.bigEndian) { Array($0) } + token
            telling.bytes += tuple.prefix(cut ?? tuple.count)
            if cut != nil { return telling }
            if length == nil { telling.tuples += 1 }
            length = nil
        }
        return telling
    }
}

/// The feedback service at one connection: tells what there is to tell, then ends. Nothing is asked of the
/// client.
final class FeedbackConversation: Conversation {
    private(set) var fate = Fate.goesOn
    private var output: Outbox

    init(_ telling: FeedbackList.Telling) { output = Outbox(telling.bytes) }

    func receive(_ bytes: Bytes) {}

    func fill(_ room: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let count = output.fill(room)
        if output.isEmpty { fate = .closes }
        return count
    }

    func alarm(_ ticket: Int32, at now: Instant) {}
    func end() {}
}
