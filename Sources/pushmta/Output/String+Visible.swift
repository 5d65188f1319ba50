extension String {
    /// The same on one line of a terminal: whoever chose a label must not move the cursor of whoever reads it.
    package var visible: String {
        guard unicodeScalars.contains(where: { Self.isInvisible($0) }) else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            let code = String(scalar.value, radix: 16, uppercase: true)
            text += Self.isInvisible(scalar) ? "\\u{\(code)}" : String(scalar)
        }
    }

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
