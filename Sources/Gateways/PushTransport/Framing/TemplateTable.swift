/// The templates that a connection encoded lately.
struct TemplateTable: ~Copyable {
    /// Unsafe for speed: to be read for each message without counting a reference.
    private var codes: UnsafeMutablePointer<TemplateCode>
    private var capacity = 16
    private var count = 0
    /// For each, when it was last found; counted in changes of the template.
    private var lastFound: [Int] = []
    private var found = 0
    /// The template of the last request; `RequestSlot.none`: none yet.
    private var current = Int(RequestSlot.none)

    /// Connections serve more jobs than this at a time rarely, and pay for that with encoding again.
    private static let usualCount = 64

    init() { codes = .allocate(capacity: capacity) }

    deinit {
        for index in 0..<count { codes[index].free() }
        codes.deinitialize(count: count)
        codes.deallocate()
    }

    subscript(place: Int) -> TemplateCode {
        @inline(__always) _read {
            precondition(place >= 0 && place < count, "no such template")
            yield codes[place]
        }
        @inline(__always) _modify {
            precondition(place >= 0 && place < count, "no such template")
            yield &codes[place]
        }
    }

    /// The place of a template, which it keeps while requests of it wait.
    @inline(__always)
    mutating func place(of template: RequestTemplate) -> Int {
        if current >= 0, codes[current].template === template { return current }
        return find(template)
    }

    private mutating func find(_ template: RequestTemplate) -> Int {
        found += 1
        var place = template.place
        if place >= count || codes[place].template !== template {
            place = (0..<count).first { codes[$0].template === template } ?? add(template)
        }
        template.place = place
        lastFound[place] = found
        current = place
        return place
    }

    private mutating func add(_ template: RequestTemplate) -> Int {
        if count >= Self.usualCount,
            let oldest = (0..<count).filter({ codes[$0].waiting == 0 }).min(by: {
                lastFound[$0] < lastFound[$1]
            })
        {
            codes[oldest].free()
            codes[oldest] = TemplateCode(template)
            return oldest
        }
        if count == capacity {
            let larger = UnsafeMutablePointer<TemplateCode>.allocate(capacity: capacity * 2)
            larger.moveInitialize(from: codes, count: count)
            codes.deallocate()
            (codes, capacity) = (larger, capacity * 2)
        }
        (codes + count).initialize(to: TemplateCode(template))
        lastFound.append(0)
        count += 1
        return count - 1
    }
}
