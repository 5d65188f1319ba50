internal import CPushShims
internal import PushModel

/// A private key. It can be read from all PEM variants that occur in practice: with a byte order mark, with
/// text before it, in one long line or in lines of any length, with trailing blanks. All forms that OpenSSL
/// reads are accepted. See also ``Certificate``.
package struct PrivateKey: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// - Parameter curve: OpenSSL's name of the curve, such as `prime256v1` for P-256.
        case elliptic(curve: String)
        case rsa(bits: Int)
        /// - Parameter name: OpenSSL's name of the type.
        case other(name: String)
    }

    package let kind: Kind
    /// The key as PKCS #8 in the form that OpenSSL writes, which every PEM reader accepts.
    package let pem: [UInt8]

    /// - Throws: ``TransportError`` `.identity`, with the problem in the text.
    package init(pem text: [UInt8]) throws(TransportError) {
        var facts = push_private_key_facts()
        var pkcs8 = push_bytes()
        var why = [CChar](repeating: 0, count: 200)
        let status = text.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return PUSH_IDENTITY_UNREADABLE }
            return push_private_key_read(start, bytes.count, &facts, &pkcs8, &why, why.count)
        }
        defer { push_bytes_free(&pkcs8) }
        switch status {
        case PUSH_IDENTITY_OK: break
        case PUSH_IDENTITY_WRONG_PASSWORD: throw TransportError(.identity(.keyIsEncrypted))
        case PUSH_IDENTITY_NO_MEMORY: throw TransportError(.outOfMemory(what: "a private key"))
        default:
            let words = String(printable: why.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) })
            throw TransportError(.identity(PEMFault.of(text, words)))
        }
        switch textOf(facts.type) {
        case "EC": kind = .elliptic(curve: textOf(facts.curve))
        case "RSA": kind = .rsa(bits: Int(facts.bits))
        case let name: kind = .other(name: name)
        }
        pem = Array(UnsafeBufferPointer(start: pkcs8.bytes, count: pkcs8.count))
    }
}

/// Determines why a text does not contain a private key in PEM, although it should.
enum PEMFault {
    /// - Parameter words: OpenSSL's message; empty if there is none.
    static func of(_ bytes: [UInt8], _ words: String) -> IdentityError {
        guard !bytes.isEmpty else { return .notPEM("is empty") }
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
            || bytes.prefix(64).contains(0)
        {
            // DER begins with the tag of a sequence.
            return bytes[0] == 0x30
                ? .notPEM("is DER, not PEM; convert it with 'openssl pkey -inform DER'")
                : .notPEM("is not plain text; save it as UTF-8")
        }
        let text = text(of: bytes)
        guard text.contains("-----BEGIN ") else {
            return .notPEM(
                bytes[0] == 0x30
                    ? "is DER, not PEM; convert it with 'openssl pkey -inform DER'"
                    : "has no line '-----BEGIN PRIVATE KEY-----'")
        }
        if let fault = layoutFault(in: text) { return fault }
        guard let label = labels(in: text).first(where: { $0.hasSuffix("PRIVATE KEY") }) else {
            return .noKey
        }
        if label == "ENCRYPTED PRIVATE KEY" { return .keyIsEncrypted }
        guard text.contains("-----END \(label)-----") else {
            return .notPEM("is truncated: the line with END \(label) is missing")
        }
        return .notPEM("contains a damaged private key" + (words.isEmpty ? "" : " (\(words))"))
    }

    private static func text(of pem: [UInt8]) -> String { String(decoding: pem, as: UTF8.self) }

    static func layoutFault(in pem: [UInt8]) -> IdentityError? { layoutFault(in: text(of: pem)) }

    /// If a text contains a PEM block that OpenSSL does not find, returns the reason. Even if the block's
    /// bytes are valid, its lines may begin and end in the wrong places. The text often comes from an
    /// environment variable or a form, which has only one line.
    private static func layoutFault(in text: String) -> IdentityError? {
        guard let begin = text.firstRange(of: "-----BEGIN ") else { return nil }
        let block = text[begin.lowerBound...]
        if block.contains(#"\n"#) || block.contains(#"\r"#) {
            return .notPEM(#"has the two characters \n where lines end; put line breaks in their place"#)
        }
        guard text.utf8.contains(0x0A) else {
            return .notPEM(
                "has no line breaks, or only carriage returns; put each '-----…-----' on its own line")
        }
        // The text is split by Unicode scalars, because Swift treats a carriage return followed by a line
        // feed as one character.
        for line in text.unicodeScalars.split(separator: "\n") {
            let line = String(line).trimmed
            for start in ["-----BEGIN ", "-----END "] {
                guard let marker = line.firstRange(of: start) else { continue }
                let rest = line[marker.upperBound...]
                guard let close = rest.firstRange(of: "-----") else { continue }
                let isBehind = marker.lowerBound > line.startIndex
                guard isBehind || close.upperBound < line.endIndex else { continue }
                let name = "'\(start)\(String(rest[..<close.lowerBound]).printable(atMost: 64))-----'"
                return .notPEM(
                    "has text \(isBehind ? "before" : "after") \(name) on the same line; put each "
                        + "'-----…-----' on its own line")
            }
        }
        return nil
    }

    /// Returns the labels of the blocks in the text.
    private static func labels(in text: String) -> [String] {
        text.components(between: "-----BEGIN ", and: "-----").map { $0.printable(atMost: 64) }
    }
}

extension String {
    /// The text without a leading byte order mark, and without carriage returns and blanks at its end, which
    /// OpenSSL skips at the end of a line. A blank before a marker is kept, because OpenSSL does not find
    /// such a marker.
    fileprivate var trimmed: String {
        var scalars = unicodeScalars[...]
        if scalars.first == "\u{FEFF}" { scalars.removeFirst() }
        while let last = scalars.last, last == " " || last == "\t" || last == "\r" { scalars.removeLast() }
        return String(scalars)
    }

    fileprivate func components(between start: String, and end: String) -> [String] {
        var found: [String] = []
        var rest = self[...]
        while let begin = rest.firstRange(of: start) {
            rest = rest[begin.upperBound...]
            guard let stop = rest.firstRange(of: end) else { break }
            found.append(String(rest[..<stop.lowerBound]))
            rest = rest[stop.upperBound...]
        }
        return found
    }
}
