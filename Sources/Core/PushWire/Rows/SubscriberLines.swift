package import PushModel

/// The forms of a subscriber file.
package enum SubscriberFormat: String, CaseIterable, Sendable {
    case csv
    /// One JSON object per line: `{"token": …, "userKey": …, "osLanguage": …, "parameters": {…}}`.
    case jsonLines = "jsonl"

    package var mediaType: String {
        switch self {
        case .csv: "text/csv"
        case .jsonLines: "application/x-ndjson"
        }
    }

    /// - Parameter mediaType: The media type without its parameters.
    package init?(mediaType: String) {
        guard let format = Self.allCases.first(where: { $0.mediaType == mediaType.lowercased() }) else {
            return nil
        }
        self = format
    }
}

/// Reads a subscriber file of either form while it is being received.
package enum SubscriberFile {
    case csv(SubscriberCSV)
    case jsonLines(SubscriberLines)

    package init(_ format: SubscriberFormat, platform: Platform, declared: [ParameterDeclaration]) {
        self =
            switch format {
            case .csv: .csv(SubscriberCSV(platform: platform, declared: declared))
            case .jsonLines: .jsonLines(SubscriberLines(platform: platform, declared: declared))
            }
    }

    package mutating func feed(
        _ bytes: borrowing Span<UInt8>, into batch: inout SubscriberBatch
    ) throws(WireError) {
        switch self {
        case .csv(var file):
            // Moved out, so that the pending bytes of an incomplete row are not copied.
            self = .jsonLines(SubscriberLines(platform: .ios, declared: []))
            defer { self = .csv(file) }
            try file.feed(bytes, into: &batch)
        case .jsonLines(var file):
            self = .jsonLines(SubscriberLines(platform: .ios, declared: []))
            defer { self = .jsonLines(file) }
            try file.feed(bytes, into: &batch)
        }
    }

    package mutating func finish(into batch: inout SubscriberBatch) throws(WireError) {
        switch self {
        case .csv(var file): try file.finish(into: &batch)
        case .jsonLines(var file): file.finish(into: &batch)
        }
    }
}

/// Reads a subscriber file of JSON lines while it is being received. Empty lines are skipped.
///
/// **Promises.** The result does not depend on how the bytes were split. A bad line affects only itself.
/// Memory is bounded by ``SubscriberCSV/maximumRowBytes`` and the number of bytes that are fed at a time.
/// **Failures.** If the file is not text, reading throws an error.
package struct SubscriberLines {
    private let platform: Platform
    private let declared: [ParameterDeclaration]
    /// The first bytes of the file.
    private var beginning: [UInt8] = []
    /// The beginning of a line whose end has not been received yet.
    private var pending: [UInt8] = []
    private var line = 1
    /// Whether the current line is too long.
    private var isSkipping = false

    init(platform: Platform, declared: [ParameterDeclaration]) {
        (self.platform, self.declared) = (platform, declared)
    }

    mutating func feed(
        _ bytes: borrowing Span<UInt8>, into batch: inout SubscriberBatch
    ) throws(WireError) {
        for index in 0..<min(ForeignFile.recognisableBytes - beginning.count, bytes.count) {
            beginning.append(bytes[index])
            if let problem = ForeignFile.problem(of: beginning) {
                throw .importFile(line: 1, problem: problem)
            }
        }
        var start = 0
        for index in 0..<bytes.count where bytes[index] == UInt8(ascii: "\n") {
            append(bytes.extracting(start..<index))
            end(into: &batch)
            start = index + 1
        }
        append(bytes.extracting(droppingFirst: start))
    }

    mutating func finish(into batch: inout SubscriberBatch) { end(into: &batch) }

    private mutating func append(_ bytes: borrowing Span<UInt8>) {
        guard !isSkipping else { return }
        // Unsafe for speed: the span is only read, and only during the call.
        unsafe bytes.withUnsafeBufferPointer { unsafe pending.append(contentsOf: $0) }
        if pending.count > SubscriberCSV.maximumRowBytes {
            isSkipping = true
            pending.removeAll(keepingCapacity: true)
        }
    }

    private mutating func end(into batch: inout SubscriberBatch) {
        defer {
            line += 1
            isSkipping = false
            pending.removeAll(keepingCapacity: true)
        }
        if isSkipping {
            return batch.rejected.append(
                RejectedRow(line: line, fault: .tooLong(limit: SubscriberCSV.maximumRowBytes)))
        }
        if line == 1, pending.starts(with: ByteOrderMark.bytes) { pending.removeFirst(3) }
        guard pending.contains(where: { $0 > 0x20 }) else { return }
        do throws(RowFault) {
            batch.records.append(try record(pending))
        } catch {
            batch.rejected.append(RejectedRow(line: line, fault: error))
        }
    }

    private func record(_ bytes: [UInt8]) throws(RowFault) -> SubscriberRecord {
        let value: JSONValue
        do { value = try JSONParser.parse(bytes) } catch { throw .notJSON(error.description) }
        guard case .object(let members) = value else { throw .notJSON("a line must be an object") }
        var record = SubscriberRecord(token: "", userKey: "", parametersJSON: nil)
        for member in members {
            switch (member.key, member.value) {
            case ("token", .string(let token)):
                if token.isEmpty { throw .emptyToken }
                guard let canonical = DeviceToken.canonical(token, for: platform) else {
                    throw .invalidToken(allowed: DeviceToken.allowed(for: platform))
                }
                record.token = canonical
            case ("userKey", .string(let key)): record.userKey = try Self.checked(userKey: key)
            case ("userKey", .null), ("parameters", .null): break
            case ("parameters", .object(let parameters)): record.parametersJSON = try text(of: parameters)
            case ("osLanguage", .string(let language)):
                guard SubscriberLimits.acceptsLanguage(language) else { throw .invalidLanguage }
                record.language = language
            case ("osLanguage", .null): break
            case ("token", _), ("userKey", _), ("osLanguage", _), ("parameters", _):
                throw .notJSON(
                    """
                    \(member.key) is \(member.value.kind); use \
                    \(member.key == "parameters" ? "an object" : "a string")
                    """
                )
            // An exported file contains all facts.
            case _ where CollectedFact(rawValue: member.key) != nil: break
            default:
                throw .notJSON(
                    "\(member.key.printable(atMost: 64)): unknown; allowed: token, userKey, osLanguage, "
                        + "parameters")
            }
        }
        if record.token.isEmpty { throw .emptyToken }
        // If the key could be omitted, an update without it would remove the device from its user.
        guard members.contains(where: { $0.key == "userKey" }) else {
            throw .notJSON("userKey: missing; use null for a device without a user")
        }
        return record
    }

    private static func checked(userKey: String) throws(RowFault) -> String {
        guard userKey.utf8.count <= SubscriberLimits.userKeyBytes else {
            throw .userKeyTooLong(bytes: userKey.utf8.count, limit: SubscriberLimits.userKeyBytes)
        }
        return userKey
    }

    /// Returns the parameters in the form of ``SubscriberRow``: an object of texts that are not empty, in
    /// ascending order of their names.
    private func text(of given: [JSONMember]) throws(RowFault) -> String? {
        var members: [JSONMember] = []
        for member in given {
            let declaration = declared.first { $0.name == member.key }
            guard declaration != nil || declared.isEmpty else {
                throw .notJSON(
                    "parameters.\(member.key.printable(atMost: 64)): not declared by this app; use "
                        + declared.map(\.name).joined(separator: ", "))
            }
            let value: String
            switch member.value {
            case .null, .string(""): continue
            case .string(let text): value = text
            case .integer, .real, .boolean: value = member.value.text
            case .array, .object:
                throw .notJSON(
                    "parameters.\(member.key.printable(atMost: 64)) is \(member.value.kind); use a string")
            }
            if let kind = declaration?.kind, !kind.accepts(value) {
                throw .wrongKind(column: member.key, wanted: kind.words)
            }
            members.append(JSONMember(key: declaration?.name ?? member.key, value: .string(value)))
        }
        if members.isEmpty { return nil }
        let object = JSONValue.object(members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) })
        var bytes: [UInt8] = []
        object.append(to: &bytes)
        guard bytes.count <= SubscriberLimits.parametersBytes else {
            throw .parametersTooLong(bytes: bytes.count, limit: SubscriberLimits.parametersBytes)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
