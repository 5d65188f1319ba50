/// Lines over time, drawn as SVG within a page. The drawing needs no script and no external resources.
///
/// The page defines the colours, in the classes `c0` to `c7`.
package struct LinePlot: Equatable, Sendable {
    package struct Line: Equatable, Sendable {
        package var name: String
        package var points: [Point]

        package init(_ name: String, _ points: [Point]) { (self.name, self.points) = (name, points) }
    }

    package struct Point: Equatable, Sendable {
        package var x: Double
        package var y: Double

        package init(_ x: Double, _ y: Double) { (self.x, self.y) = (x, y) }
    }

    package var title: String
    package var unit: String
    package var lines: [Line]
    /// The time at which the time axis ends, unless a line has later points. Adjacent plots with the same end
    /// have the same axis.
    package var end = 0.0

    /// The size of the drawing in its own units. The page scales it.
    private static let (width, height) = (400.0, 210.0)
    private static let (left, right, top, bottom) = (52.0, 10.0, 8.0, 36.0)
    package static let maxLines = 8

    package init(_ title: String, unit: String, _ lines: [Line]) {
        (self.title, self.unit, self.lines) = (title, unit, lines)
    }

    /// A figure with a title, the drawing and, if there is more than one line, a legend.
    package var html: String {
        let keys = lines.prefix(Self.maxLines).enumerated().map { number, line in
            "<li><span class=\"key k\(number)\"></span>\(Self.escaped(line.name))</li>"
        }
        let legend = lines.count > 1 ? "<ul class=\"legend\">\(keys.joined())</ul>" : ""
        return """
            <figure>
            <figcaption>\(Self.escaped(title)) <span class="unit">\(Self.escaped(unit))</span></figcaption>
            \(svg)
            \(legend)
            </figure>

            """
    }

    private var svg: String {
        let (xs, ys) = (lines.flatMap { $0.points.map(\.x) }, lines.flatMap { $0.points.map(\.y) })
        let xMost = max(xs.max() ?? 0, end, 0.01)
        let across = Self.ticks(to: xMost, about: 5)
        let yHighest = ys.contains { $0 > 0 } ? max(ys.max() ?? 0, 0.01) : 1
        let up = Self.ticks(to: yHighest, about: 4)
        let yMost = up.last ?? 1
        let (w, h) = (Self.width - Self.left - Self.right, Self.height - Self.top - Self.bottom)
        func x(_ value: Double) -> String { (Self.left + value / xMost * w).fixed(1) }
        func y(_ value: Double) -> String { (Self.top + h - max(value, 0) / yMost * h).fixed(1) }
        var parts = [
            "<svg viewBox=\"0 0 \(Self.width.fixed(0)) \(Self.height.fixed(0))\" role=\"img\" "
                + "aria-label=\"\(Self.escaped(title)) over time, \(Self.escaped(unit))\">"
        ]
        let (begin, end) = (Self.left.fixed(1), (Self.width - Self.right).fixed(1))
        for tick in up {
            parts.append(
                "<line class=\"grid\" x1=\"\(begin)\" x2=\"\(end)\" y1=\"\(y(tick))\" y2=\"\(y(tick))\"/>")
            parts.append(
                "<text class=\"up\" x=\"\((Self.left - 6).fixed(1))\" y=\"\(y(tick))\" dy=\"4\">"
                    + "\(Self.label(tick, step: up.count > 1 ? up[1] : 1))</text>")
        }
        let (roof, floor) = (y(yMost), y(0))
        for tick in across where tick <= xMost {
            parts.append(
                "<line class=\"grid\" x1=\"\(x(tick))\" x2=\"\(x(tick))\" y1=\"\(roof)\" y2=\"\(floor)\"/>")
            parts.append(
                "<text class=\"across\" x=\"\(x(tick))\" y=\"\((Self.top + h + 15).fixed(1))\">"
                    + "\(Self.label(tick, step: across.count > 1 ? across[1] : 1))</text>")
        }
        parts.append("<line class=\"axis\" x1=\"\(begin)\" x2=\"\(end)\" y1=\"\(floor)\" y2=\"\(floor)\"/>")
        parts.append(
            "<text class=\"across\" x=\"\((Self.left + w / 2).fixed(1))\" "
                + "y=\"\((Self.height - 5).fixed(1))\">seconds since the first arrival</text>")
        // Lines are drawn from the last to the first, so that the first line is on top.
        for (number, line) in lines.prefix(Self.maxLines).enumerated().reversed() where !line.points.isEmpty {
            let path = line.points.map { "\(x($0.x)),\(y($0.y))" }.joined(separator: " ")
            parts.append("<polyline class=\"line c\(number)\" points=\"\(path)\"/>")
            if line.points.count == 1, let only = line.points.first {
                parts.append(
                    "<circle class=\"dot d\(number)\" cx=\"\(x(only.x))\" cy=\"\(y(only.y))\" r=\"3\"/>")
            }
        }
        return (parts + ["</svg>"]).joined(separator: "\n")
    }

    // MARK: Axes

    /// Returns the round numbers that mark an axis, from 0 to the first round number that is not below
    /// `most`. The result has about the given number of steps.
    package static func ticks(to most: Double, about count: Int) -> [Double] {
        guard most.isFinite, most > 0, count > 0 else { return [0, 1] }
        var power = 1.0
        while power * 10 <= most / Double(count) { power *= 10 }
        while power > most / Double(count) { power /= 10 }
        let step = [1, 2, 2.5, 5, 10].map { $0 * power }.first { $0 * Double(count) >= most } ?? power * 10
        let steps = Int((most / step - 1e-9).rounded(.up))
        return (0...max(steps, 1)).map { Double($0) * step }
    }

    /// Returns a label such as `0.25`, `150`, `20k` or `1.5M`.
    /// - Parameter step: The difference between the values of two adjacent labels. The result keeps every
    ///   digit that distinguishes adjacent labels.
    package static func label(_ value: Double, step: Double) -> String {
        let (scale, suffix): (Double, String) =
            step >= 250_000 ? (1e6, "M") : step >= 250 && value >= 1_000 ? (1e3, "k") : (1, "")
        let scaled = value / scale
        let decimals = (0...4).first { digits in
            var power = 1.0
            for _ in 0..<digits { power *= 10 }
            return abs((scaled * power).rounded() / power - scaled) < 1e-9 * max(scaled, 1)
        }
        return scaled == 0 ? "0" : scaled.fixed(decimals ?? 4) + suffix
    }

    /// Escapes text for the content and the attributes of a page.
    package static func escaped(_ text: String) -> String {
        var result = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case let other where other.value < 0x20: result += " "
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }
}
