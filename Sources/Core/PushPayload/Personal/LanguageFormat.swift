internal import PushModel

/// How one language formats numbers and dates: a row of the table in `LanguageFormat+Table`, prepared for
/// writing. All languages use ASCII digits and years of the Gregorian calendar.
struct LanguageFormat: Equatable, Sendable {
    enum DatePiece: Equatable, Sendable {
        case literal([UInt8])
        /// The day, with two digits or without padding.
        case day(isPadded: Bool)
        case month(isPadded: Bool)
        /// The month's name.
        case name, shortName
        case year
        /// The last two digits of the year.
        case shortYear
    }

    /// The mark between groups of digits.
    var group: [UInt8] = []
    var decimal: [UInt8] = [UInt8(ascii: ".")]
    var minus: [UInt8] = [UInt8(ascii: "-")]
    /// The minimum number of digits that a number must have for its digits to be grouped: some languages
    /// write 1234 but 12.345.
    var groupedFrom = Int.max
    /// The number of digits in groups before the last group, which has three.
    var groupDigits = 3
    /// The patterns for each ``ValueFormat/DateStyle``.
    var short: [DatePiece]
    var medium: [DatePiece]
    var long: [DatePiece]
    /// The names of the months, twelve in each list.
    var shortNames: [[UInt8]] = []
    var names: [[UInt8]] = []

    func pieces(_ style: ValueFormat.DateStyle) -> [DatePiece] {
        switch style {
        case .short: short
        case .medium: medium
        case .long: long
        }
    }

    /// The format for devices that report no language, or a language that is not in the table: digits without
    /// groups, a decimal point, and dates in ISO 8601 format.
    static let neutral = LanguageFormat(
        short: pieces(of: "y-MM-dd"), medium: pieces(of: "y-MM-dd"), long: pieces(of: "y-MM-dd"))

    /// Reads a CLDR pattern: `d`, `dd`, `M`, `MM`, `MMM`, `MMMM`, `y` and `yy`. Everything else is literal;
    /// literal letters must be in quotes.
    static func pieces(of pattern: String) -> [DatePiece] {
        var pieces: [DatePiece] = []
        var literal: [UInt8] = []
        var isQuoted = false
        var rest = Array(pattern.utf8)[...]
        while let byte = rest.first {
            let run = isQuoted ? 1 : rest.prefix { $0 == byte }.count
            let piece: DatePiece? =
                switch (byte, run) {
                case _ where isQuoted: nil
                case (UInt8(ascii: "d"), _): .day(isPadded: run > 1)
                case (UInt8(ascii: "M"), 1...2): .month(isPadded: run > 1)
                case (UInt8(ascii: "M"), 3): .shortName
                case (UInt8(ascii: "M"), _): .name
                case (UInt8(ascii: "y"), 2): .shortYear
                case (UInt8(ascii: "y"), _): .year
                default: nil
                }
            if let piece {
                if !literal.isEmpty { pieces.append(.literal(literal)) }
                literal = []
                pieces.append(piece)
                rest = rest.dropFirst(run)
            } else {
                if byte == UInt8(ascii: "'") { isQuoted.toggle() } else { literal.append(byte) }
                rest = rest.dropFirst()
            }
        }
        if !literal.isEmpty { pieces.append(.literal(literal)) }
        return pieces
    }
}

/// The languages with known formats.
struct LanguageFormats: Equatable, Sendable {
    /// The neutral format comes first.
    let formats: [LanguageFormat]
    private let table: LanguageTable

    static let all = LanguageFormats(LanguageFormat.table)

    /// - Parameter language: The language as a device reported it.
    @unsafe func place(of language: UnsafeRawBufferPointer) -> Int {
        unsafe table.place(of: language) ?? 0
    }

    /// Rows are separated by an empty line. Each row has tags and marks, date patterns, and month names. The
    /// row of a region has no month names if they are those of its language, whose row comes first.
    init(_ text: String) {
        var formats = [LanguageFormat.neutral]
        var tags: [(tag: LanguageTag, place: Int)] = []
        var whole = LanguageFormat.neutral
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for row in lines.split(whereSeparator: \.isEmpty) {
            let cells = row.map { line in
                line.split(separator: UInt8(ascii: "|"), omittingEmptySubsequences: false).map(Array.init)
            }
            guard let (names, format) = Self.read(cells, whole) else { continue }
            if names.first?.text.contains("-") == false { whole = format }
            tags += names.map { ($0, formats.count) }
            formats.append(format)
        }
        self.formats = formats
        table = LanguageTable(tags)
    }

    /// - Parameter whole: The language to which a region's row belongs.
    private static func read(
        _ cells: [[[UInt8]]], _ whole: LanguageFormat
    ) -> (names: [LanguageTag], format: LanguageFormat)? {
        guard cells.count >= 2, cells[0].count == 6, cells[1].count == 3 else { return nil }
        func text(_ line: Int, _ cell: Int) -> String { String(decoding: cells[line][cell], as: UTF8.self) }
        var format = LanguageFormat(
            group: cells[0][1], decimal: cells[0][2], minus: cells[0][3],
            groupedFrom: Int(text(0, 4)) ?? .max, groupDigits: Int(text(0, 5)) ?? 3,
            short: LanguageFormat.pieces(of: text(1, 0)), medium: LanguageFormat.pieces(of: text(1, 1)),
            long: LanguageFormat.pieces(of: text(1, 2)), shortNames: whole.shortNames, names: whole.names)
        if cells.count == 4 { (format.shortNames, format.names) = (cells[2], cells[3]) }
        return (text(0, 0).split(separator: " ").compactMap { LanguageTag(String($0)) }, format)
    }
}
