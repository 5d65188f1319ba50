extension Double {
    /// With so many decimals, for people: `0.41`.
    func fixed(_ decimals: Int) -> String {
        guard isFinite else { return "-" }
        var scale = 1.0
        for _ in 0..<decimals { scale *= 10 }
        let units = Int((abs(self) * scale).rounded())
        let whole = units / Int(scale)
        let sign = self < 0 && units > 0 ? "-" : ""
        guard decimals > 0 else { return "\(sign)\(whole)" }
        let fraction = String(units % Int(scale))
        return "\(sign)\(whole).\(String(repeating: "0", count: decimals - fraction.count))\(fraction)"
    }
}
extension String {
    /// Its first line.
    var firstLine: String { split(separator: "\n").first.map(String.init) ?? "" }
}
