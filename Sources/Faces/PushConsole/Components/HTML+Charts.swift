package import PushModel

/// Drawings: bars, funnels and charts. Lengths are attributes of SVG elements, because pages contain no
/// styles. Words are in HTML, so that they keep their size.
extension HTML {
    package enum BarKind: Sendable {
        case main, retrying, failed, quiet

        fileprivate var name: String? {
            switch self {
            case .main: nil
            case .retrying: "retrying"
            case .failed: "failed"
            case .quiet: "quiet"
            }
        }
    }

    package enum Thickness: Sendable { case thin, normal, thick }

    /// A bar with segments. Each non-empty segment is visible.
    package static func bar(
        _ segments: [(count: Int, kind: BarKind)], of whole: Int, thickness: Thickness = .normal
    ) -> HTML {
        var start = 0.0
        let rects = segments.compactMap { segment -> HTML? in
            guard whole > 0, segment.count > 0, start < 100 else { return nil }
            let width = min(max(Double(segment.count) / Double(whole) * 100, 0.2), 100 - start)
            defer { start += width }
            return """
                <rect x="\(length: start)" width="\(length: width)" height="8"\
                \("class", is: segment.kind.name)/>
                """
        }
        let size: HTML =
            switch thickness {
            case .thin: " bar-thin"
            case .normal: ""
            case .thick: " bar-thick"
            }
        return """
            <svg class="bar\(size)" viewBox="0 0 100 8" preserveAspectRatio="none" \
            aria-hidden="true">\(rects)</svg>
            """
    }

    package struct FunnelStage: Sendable {
        package var title: Phrase
        package var count: Int
        /// The share of an earlier stage, in words.
        package var note: HTML

        package init(_ title: Phrase, _ count: Int, note: HTML) {
            (self.title, self.count, self.note) = (title, count, note)
        }
    }

    /// Four stages. Each stage is a part of the one before.
    package static func funnel(_ stages: [FunnelStage]) -> HTML {
        let whole = max(stages.first?.count ?? 0, 1)
        let items = stages.map { stage -> HTML in
            """
            <li><h3>\(stage.title)</h3><p class="value">\(count: stage.count)</p>\
            <p class="share">\(stage.note)</p>\(bar([(stage.count, .main)], of: whole))</li>
            """
        }
        let heights = stages.map { 100 - min(1, Double($0.count) / Double(whole)) * 100 }
        let shapes = heights.enumerated().map { index, top -> HTML in
            let start = Double(index) * 100
            let next = index + 1 < heights.count ? heights[index + 1] : top
            return """
                <path d="M\(length: start) \(length: top)H\(length: start + 70)C\(length: start + 85) \
                \(length: top) \(length: start + 85) \(length: next) \(length: start + 100) \
                \(length: next)V100H\(length: start)z"/>
                """
        }
        return """
            <div><ol class="funnel">\(items)</ol><svg class="funnel-shape" \
            viewBox="0 0 \(number: 100 * max(stages.count, 1)) 100" preserveAspectRatio="none" \
            aria-hidden="true">\(shapes)</svg></div>
            """
    }

    /// A series of counts, one for each minute or other span.
    package struct Series: Sendable {
        package var title: Phrase
        package var counts: [Int]
        package var isLine: Bool

        package init(_ title: Phrase, _ counts: [Int], isLine: Bool = false) {
            (self.title, self.counts, self.isLine) = (title, counts, isLine)
        }
    }

    /// A chart of counts over time, with its table.
    /// - Parameters:
    ///   - id: A name that is unique on the page.
    ///   - moments: The beginning of each span. There are at most some hundreds; combine spans if necessary.
    ///   - limit: A value to mark with a line, such as a rate; `nil` if there is none.
    ///   - summary: One sentence that states what the chart shows.
    package static func timeChart(
        id: String, title: Phrase, moments: [WallMoment], _ series: [Series], limit: Int? = nil,
        summary: Phrase
    ) -> HTML {
        guard !moments.isEmpty else { return .empty }
        // A series without any count would be an invisible line. The table has it.
        let drawn = series.filter { $0.counts.contains { $0 > 0 } }
        let top = niceTop(series.flatMap(\.counts).reduce(max(limit ?? 0, 1), max))
        let step = 240 / Double(moments.count)
        func height(_ count: Int) -> Double { Double(count) / Double(top) * 100 }
        let shapes = drawn.map { series -> HTML in
            if series.isLine {
                // A line needs two points: the line of a single span is as wide as its bar.
                let places = moments.count == 1 ? [0.12, 0.88] : [0.5]
                let points = series.counts.enumerated().flatMap { index, count in
                    places.map { place -> HTML in
                        "\(length: (Double(index) + place) * step),\(length: 100 - height(count))"
                    }
                }
                return "<polyline points=\"\(points.joined(by: " "))\"/>"
            }
            let rects = series.counts.enumerated().map { index, count -> HTML in
                """
                <rect x="\(length: (Double(index) + 0.12) * step)" y="\(length: 100 - height(count))" \
                width="\(length: step * 0.76)" height="\(length: height(count))"/>
                """
            }
            return "<g>\(rects)</g>"
        }
        let mark: HTML? = limit.map { limit in
            let place = 100 - height(limit)
            return "<line class=\"limit\" x2=\"240\" y1=\"\(length: place)\" y2=\"\(length: place)\"/>"
        }
        let labels = [top, top / 2, 0].map { "<span>\(count: $0)</span>" as HTML }
        let rows = moments.enumerated().map { index, moment in
            (
                head: HTML(Moments.text(moment)),
                cells: series.map { index < $0.counts.count ? $0.counts[index] : 0 }
            )
        }
        let table = plainTable([.time] + series.map(\.title), rows)
        return """
            <figure><div class="chart"><p class="chart-title">\(title)</p>\
            <div class="chart-y" aria-hidden="true">\(labels)</div>\
            <svg class="plot" viewBox="0 0 240 100" preserveAspectRatio="none" role="img" \
            aria-label="\(summary)"><line x2="240" y1="0" y2="0"/><line x2="240" y1="50" y2="50"/>\(shapes)\
            \(mark)<line class="base" x2="240" y1="100" y2="100"/></svg>\(timeAxis(moments))</div>\
            <figcaption class="legend">\(legend(drawn))</figcaption></figure>\
            \(details(.asTable, id: "\(id)-table", table))
            """
    }

    private static func legend(_ series: [Series]) -> [HTML] {
        series.map { "<span class=\"\($0.isLine ? "key key-line" : "key")\">\($0.title)</span>" }
    }

    /// The largest number of spans that have a label each, below the middle of the span.
    private static let maxLabelled = 6

    private static func timeAxis(_ moments: [WallMoment]) -> HTML {
        let isFew = moments.count <= maxLabelled
        let places = isFew ? Array(moments.indices) : [0, 1, 2, 3].map { $0 * (moments.count - 1) / 3 }
        let labels = axisLabels(places.map { moments[$0] }).map { "<span>\($0)</span>" as HTML }
        let kind: HTML = isFew ? " chart-x-few" : ""
        return "<p class=\"chart-x\(kind)\" aria-hidden=\"true\">\(labels)</p>"
    }

    /// Returns labels that differ: clock times, with the day where it changes, or only days if the spans are
    /// whole days.
    package static func axisLabels(_ moments: [WallMoment]) -> [String] {
        let days = moments.map(Moments.day)
        let clocks = moments.map(Moments.clock)
        guard Set(days).count > 1 else { return clocks }
        if Set(clocks).count == 1 { return days }
        return moments.indices.map { place in
            place > 0 && days[place] == days[place - 1] ? clocks[place] : Moments.text(moments[place])
        }
    }

    /// Returns a round number that is at least the value and whose half is round as well.
    private static func niceTop(_ value: Int) -> Int {
        var power = 1
        while power < Int.max / 100 {
            for factor in [2, 4, 10] where factor * power >= value { return factor * power }
            power *= 10
        }
        return value
    }
}

extension Phrase {
    fileprivate static let time = Phrase("Time", "Zeit")
    fileprivate static let asTable = Phrase("Show as a table", "Als Tabelle zeigen")
}
