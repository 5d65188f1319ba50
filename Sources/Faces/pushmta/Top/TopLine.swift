internal import PushModel

/// A line of a screen, no wider than the screen.
package struct TopLine: Equatable, Sendable {
    package enum Style: Equatable, Sendable { case plain, heading, alarm, selected }

    package var text: String
    package var style: Style

    package init(_ text: String, _ style: Style = .plain) {
        self.text = text
        self.style = style
    }

    /// The bytes that show the line on a terminal: the text, enclosed in its style.
    var bytes: [UInt8] {
        switch style {
        case .plain: Array(text.utf8)
        case .heading: Array("\u{1B}[1m\(text)\u{1B}[m".utf8)
        case .alarm: Array("\u{1B}[1;31m\(text)\u{1B}[m".utf8)
        case .selected: Array("\u{1B}[7m\(text)\u{1B}[m".utf8)
        }
    }

    /// Cuts the line at the edge of the screen. A selected line is extended to the width of the screen.
    func fitted(to columns: Int) -> TopLine {
        var line = TopLine(text.printable(atMost: .max), style)
        if line.text.count > columns { line.text = String(line.text.prefix(columns)) }
        if style == .selected {
            line.text += String(repeating: " ", count: max(columns - line.text.count, 0))
        }
        return line
    }
}

/// The size of a terminal, in characters.
package struct TopSize: Equatable, Sendable {
    package var columns: Int
    package var rows: Int

    static let usual = TopSize(columns: 80, rows: 24)

    package init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }
}
