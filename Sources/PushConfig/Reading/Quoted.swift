/// Foreign text for a message: in quotes, on one line, not longer than a line.
func quoted(_ text: some StringProtocol, limit: Int = 60) -> String {
    var shown = "\""
    for (count, scalar) in text.unicodeScalars.enumerated() {
        if count == limit {
            shown += "…"
            break
        }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
            shown += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
        default: shown.unicodeScalars.append(scalar)
        }
    }
    return shown + "\""
}

func quoted(_ bytes: ArraySlice<UInt8>) -> String {
    quoted(String(decoding: bytes.prefix(256), as: UTF8.self))
}
