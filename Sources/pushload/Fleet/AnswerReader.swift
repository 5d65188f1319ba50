/// What a server answered.
struct HTTPReply {
    var status: Int
    var body: [UInt8]
    /// The server closes the connection after it.
    var isLast: Bool
}

/// Reads a server's answers as they come: bytes in, sometimes an answer out.
struct AnswerReader {
    private var received: [UInt8] = []
    private var first = 0

    mutating func feed(_ bytes: ArraySlice<UInt8>) { received += bytes }

    mutating func forget() {
        received.removeAll(keepingCapacity: true)
        first = 0
    }

    private static let gap = Array("\r\n\r\n".utf8)

    /// - Parameter isHead: that answer has no body, whatever its head says.
    mutating func next(isHead: Bool = false) -> HTTPReply? {
        while let answer = read(isHead: isHead) {
            // 100 Continue and the like come before the answer.
            if answer.status >= 200 || answer.status < 100 { return answer }
        }
        return nil
    }

    private mutating func read(isHead: Bool) -> HTTPReply? {
        guard let end = headEnd() else { return nil }
        let lines = received[first..<end - 4].split(separator: UInt8(ascii: "\n"))
        var (length, isLast) = (0, false)
        for line in lines.dropFirst() {
            let text = String(decoding: line, as: UTF8.self).lowercased()
            if text.hasPrefix("content-length:") {
                length = Int(text.dropFirst(15).filter(\.isNumber)) ?? 0
            } else if text.hasPrefix("connection:") {
                isLast = text.contains("close")
            }
        }
        let words = lines.first?.split(separator: UInt8(ascii: " ")) ?? []
        let status = words.count > 1 ? Int(String(decoding: words[1].prefix(3), as: UTF8.self)) ?? 0 : 0
        if isHead || status == 204 || status == 304 || status < 200 { length = 0 }
        guard received.count - end >= length else { return nil }
        let body = Array(received[end..<end + length])
        first = end + length
        if first == received.count { forget() }
        return HTTPReply(status: status, body: body, isLast: isLast)
    }

    private func headEnd() -> Int? {
        guard received.count - first >= 4 else { return nil }
        let last = UInt8(ascii: "\n")
        var place = first + 3
        while place < received.count {
            if received[place] == last, received[place - 1] == Self.gap[0], received[place - 2] == last,
                received[place - 3] == Self.gap[0]
            {
                return place + 1
            }
            place += 1
        }
        return nil
    }
}
