/// A file that a browser uploaded with a form.
package struct UploadedFile: Sendable, Equatable {
    /// The name of the form's field.
    package var field: String
    /// The name of the file, as the browser sent it.
    package var name: String
    package var bytes: [UInt8]
}

/// A body of the type `multipart/form-data` (RFC 7578).
package struct MultipartForm: Sendable, Equatable {
    package static let maxBytes = 8 << 20
    private static let maxHeadBytes = 8 << 10

    package private(set) var fields = FormFields()
    package private(set) var files: [UploadedFile] = []

    /// Returns the boundary in a content type; `nil` if the type is not that of a form with files.
    static func boundary(in type: String) -> String? {
        let pieces = type.split(separator: ";").map { String($0).trimmed }
        guard pieces.first?.lowercased() == "multipart/form-data",
            let piece = pieces.first(where: { $0.lowercased().hasPrefix("boundary=") })
        else { return nil }
        let text = piece.dropFirst("boundary=".count).filter { $0 != "\"" }
        return (1...70).contains(text.utf8.count) ? text : nil
    }

    /// `nil` if the body is not valid.
    package init?(_ body: [UInt8], boundary: String) {
        let mark = Array("--\(boundary)".utf8)
        guard var position = Self.find(mark, in: body, from: 0), position == 0 else { return nil }
        position += mark.count
        while true {
            // After a boundary, two hyphens end the body, and a line break begins a part.
            if body[position...].starts(with: "--".utf8) { return }
            guard body[position...].starts(with: "\r\n".utf8) else { return nil }
            let start = position + 2
            let headEnd = Array("\r\n\r\n".utf8)
            guard fields.fields.count + files.count < FormFields.maxFields,
                let head = Self.find(headEnd, in: body, from: start, limit: Self.maxHeadBytes),
                let end = Self.find(Array("\r\n".utf8) + mark, in: body, from: head + 4)
            else { return nil }
            guard take(head: body[start..<head], content: Array(body[(head + 4)..<end])) else { return nil }
            position = end + 2 + mark.count
        }
    }

    /// - Returns: `false` if the part is not valid.
    private mutating func take(head: ArraySlice<UInt8>, content: [UInt8]) -> Bool {
        guard let text = String(validating: head, as: UTF8.self) else { return false }
        let disposition = text.split(separator: "\r\n").first {
            $0.lowercased().hasPrefix("content-disposition:")
        }
        guard let disposition, let field = Self.parameter("name", of: disposition) else { return false }
        if let name = Self.parameter("filename", of: disposition) {
            // A browser sends a file without a name if no file was chosen.
            if !name.isEmpty { files.append(UploadedFile(field: field, name: name, bytes: content)) }
            return true
        }
        guard let value = FormFields.text(of: content) else { return false }
        fields.add(field, value)
        return true
    }

    /// Returns the value of a quoted parameter. Browsers send a quotation mark in a name as `%22`.
    private static func parameter(_ name: String, of header: Substring) -> String? {
        guard let start = header.range(of: "; \(name)=\"") else { return nil }
        let value = header[start.upperBound...].prefix { $0 != "\"" }
        return String(value).replacing("%22", with: "\"").replacing("%0D%0A", with: " ")
    }

    private static func find(_ needle: [UInt8], in bytes: [UInt8], from start: Int, limit: Int? = nil) -> Int?
    {
        let last = min(bytes.count, limit.map { start + $0 } ?? bytes.count) - needle.count
        guard start <= last else { return nil }
        var at = start
        while at <= last {
            guard let next = bytes[at...last].firstIndex(of: needle[0]) else { return nil }
            if bytes[next...].starts(with: needle) { return next }
            at = next + 1
        }
        return nil
    }
}

extension Substring {
    fileprivate func range(of text: String) -> Range<Index>? { ranges(of: text).first }
}
