package import PushModel

/// What somebody asks over the control socket, one request a connection: its first line.
///
///     nudge                       nothing is answered
///     paused DELIVERY             nothing is answered
///     status                      a line of JSON: ``MasterStatus``
///     operation 1 MARK BYTES `go`; then so many bytes are sent, and ``ControlAnswer/answer(bytes:)`` comes
///
/// A request that is not taken is answered with `no WHY`, or with `busy` where it may be tried again: in both
/// cases nothing was done. The bytes of an operation are sent after `go` only, so that whoever asks a process
/// that is stopped, or one of another version, knows that nothing was done.
package enum ControlRequest: Equatable, Sendable {
    /// Somebody changed the store: look for work.
    case nudge
    /// This delivery was paused, or goes on: look at it.
    case pauseChanged(DeliveryID)
    case status
    /// A use case is to be carried out.
    /// - Parameters:
    ///   - mark: what both sides must agree on: version, store and settings, or ``anyMark``; without spaces.
    ///   - bytes: the length of what will be sent.
    case operation(mark: String, bytes: Int)

    /// For operations on the master itself, to which it makes no difference what settings whoever asks has.
    package static let anyMark = "-"
    /// Of the request's line, with its end.
    package static let longestLine = 512
    /// Of an operation.
    package static let mostBytes = 1 << 20
    /// Of this exchange; raised when it changes.
    private static let version = "1"

    package var line: [UInt8] {
        let text =
            switch self {
            case .nudge: "nudge"
            case .pauseChanged(let delivery): "paused \(delivery)"
            case .status: "status"
            case .operation(let mark, let bytes): "operation \(Self.version) \(mark) \(bytes)"
            }
        return Array("\(text)\n".utf8)
    }

    /// nil: nothing that this version knows.
    /// - Parameter line: without its end.
    package init?(line: some Collection<UInt8>) {
        let words = String(decoding: line, as: UTF8.self).split(
            separator: " ", omittingEmptySubsequences: false)
        switch words.first {
        case "nudge" where words.count == 1: self = .nudge
        case "paused" where words.count == 2:
            guard let delivery = Int64(words[1]), delivery > 0 else { return nil }
            self = .pauseChanged(DeliveryID(rawValue: delivery))
        case "status" where words.count == 1: self = .status
        case "operation" where words.count == 4 && words[1] == Self.version:
            guard let bytes = Int(words[3]), bytes > 0, !words[2].isEmpty else { return nil }
            self = .operation(mark: String(words[2]), bytes: bytes)
        default: return nil
        }
    }
}

/// A line of the answer.
package enum ControlAnswer: Equatable, Sendable {
    /// The operation may be sent.
    case go
    /// Nothing was done, and may be tried again in a moment.
    case busy
    /// Nothing was done.
    case no(why: String)
    /// The operation's answer follows.
    case answer(bytes: Int)

    package static let longestLine = 512
    package static let mostBytes = 64 << 20

    package var line: [UInt8] {
        let text =
            switch self {
            case .go: "go"
            case .busy: "busy"
            case .no(let why): "no \(why.printable(atMost: 200))"
            case .answer(let bytes): "answer \(bytes)"
            }
        return Array("\(text)\n".utf8)
    }

    /// nil: no answer of this version.
    /// - Parameter line: without its end.
    package init?(line: some Collection<UInt8>) {
        let words = String(decoding: line, as: UTF8.self).split(separator: " ", maxSplits: 1)
        switch (words.first, words.count) {
        case ("go", 1): self = .go
        case ("busy", 1): self = .busy
        case ("no", _): self = .no(why: words.count > 1 ? String(words[1]) : "")
        case ("answer", 2):
            guard let bytes = Int(words[1]), bytes >= 0, bytes <= Self.mostBytes else { return nil }
            self = .answer(bytes: bytes)
        default: return nil
        }
    }
}
