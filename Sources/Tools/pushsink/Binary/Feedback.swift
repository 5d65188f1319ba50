/// The tuples of the feedback service, which are read from a file and sent once.
///
/// A line `SECONDS TOKEN` (seconds since 1970, and hexadecimal digits) is a tuple. Two other lines damage the
/// tuple that follows them: `cut N` ends the connection after N bytes of the tuple, and with `length N`, the
/// tuple states a token length of N bytes. '#' begins a comment. A file that does not exist is an empty list.
/// After the list has been sent, it is empty until the file changes.
package final class FeedbackList {
    /// The data for a client that connects.
    package struct Batch: Equatable {
        package var bytes: [UInt8] = []
        /// The number of complete tuples with correct content.
        package var tuples = 0
    }

    private let file: String?
    private var told: Files.Version?

    /// Throws if the file exists and is invalid. If `file` is `nil`, there is nothing to send.
    package init(file: String?) throws(SinkError) {
        self.file = file
        if let file, Files.exists(file) { _ = try Self.batch(Files.text(file), file: file) }
    }

    /// Returns the tuples for the client that has just connected.
    package func take() throws(SinkError) -> Batch {
        guard let file, let version = Files.version(of: file), version != told else { return Batch() }
        let batch = try Self.batch(Files.text(file), file: file)
        told = version
        return batch
    }

    /// Reads the text of a list file. `file` is the file's name in errors.
    package static func batch(_ text: String, file: String) throws(SinkError) -> Batch {
        var batch = Batch()
        var cut: Int?, length: Int?
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
            guard !words.isEmpty else { continue }
            func problem(_ text: String) -> SinkError {
                SinkError.line(index, of: file, text)
            }
            guard words.count == 2 else {
                throw problem("a line must be 'SECONDS TOKEN', 'cut N' or 'length N'")
            }
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
            batch.bytes += tuple.prefix(cut ?? tuple.count)
            if cut != nil { return batch }
            if length == nil { batch.tuples += 1 }
            length = nil
        }
        return batch
    }
}

/// The feedback service on one connection. It sends its list and then ends. It does not expect data from the
/// client.
final class FeedbackConversation: Conversation {
    private(set) var disposition = Disposition.continues
    private var output: Outbox

    init(_ batch: FeedbackList.Batch) { output = Outbox(batch.bytes) }

    func receive(_ bytes: Bytes) {}

    func fill(_ room: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let count = output.fill(room)
        if output.isEmpty { disposition = .closes }
        return count
    }

    func alarm(_ ticket: Int32, at now: Instant) {}
    func end() {}
}
