/// The templates that a connection encoded recently.
struct TemplateTable: ~Copyable {
    private var codes = Slab<TemplateCode>(capacity: 16)
    /// The value of ``found`` when each template was last found. ``found`` counts how often a request used a
    /// template other than that of the previous request.
    private var lastFound: [Int] = []
    private var found = 0
    /// The template of the last request; `RequestSlot.none` if there is none yet.
    private var current = Int(RequestSlot.none)

    /// The number of templates that are kept. A connection rarely serves more jobs at a time. If it does,
    /// templates are encoded again.
    private static let usualCount = 64

    deinit { for index in 0..<codes.count { codes[index].free() } }

    subscript(place: Int) -> TemplateCode {
        @inline(__always) _read { yield codes[place] }
        @inline(__always) _modify { yield &codes[place] }
    }

    /// Returns the place of a template. The template keeps the place while requests with this template are
    /// waiting.
    @inline(__always)
    mutating func place(of template: RequestTemplate) -> Int {
        if current >= 0, codes[current].template === template { return current }
        return find(template)
    }

    private mutating func find(_ template: RequestTemplate) -> Int {
        found += 1
        var place = template.place
        if place >= codes.count || codes[place].template !== template {
            place = (0..<codes.count).first { codes[$0].template === template } ?? add(template)
        }
        template.place = place
        lastFound[place] = found
        current = place
        return place
    }

    private mutating func add(_ template: RequestTemplate) -> Int {
        if codes.count >= Self.usualCount,
            let oldest = (0..<codes.count).filter({ codes[$0].waiting == 0 }).min(by: {
                lastFound[$0] < lastFound[$1]
            })
        {
            codes[oldest].free()
            codes[oldest] = TemplateCode(template)
            return oldest
        }
        codes.append(TemplateCode(template))
        lastFound.append(0)
        return codes.count - 1
    }
}
