/// Finds faults in a page that browsers correct silently and that screen readers do not.
struct PageMarkup {
    private static let void: Set<String> = ["meta", "link", "input", "img", "br", "hr"]
    /// Elements that contain only text and what is part of a text.
    private static let texts: Set<String> = ["p", "h1", "h2", "h3", "h4", "label", "button", "small", "span"]
    private static let blocks: Set<String> = [
        "div", "p", "ul", "ol", "dl", "table", "form", "section", "article", "header", "nav", "aside",
        "fieldset", "figure", "details", "pre", "h1", "h2", "h3", "h4",
    ]
    private static let references = [
        "for", "aria-labelledby", "aria-describedby", "list", "popovertarget", "data-preview-target",
    ]

    private var faults: [String] = []
    private var open: [String] = []
    private var ids: Set<String> = []
    private var referenced: Set<String> = []
    private var labelled: Set<String> = []
    private var controls: [(id: String?, tag: String)] = []
    private var headings: [Int] = []

    static func faults(of page: String) -> [String] {
        var markup = PageMarkup()
        for match in page.matches(of: /<(\/?)([A-Za-z][A-Za-z0-9]*)([^<>]*)>/) {
            let tag = String(match.output.2)
            if match.output.1.isEmpty {
                markup.begin(tag, match.output.3)
            } else {
                markup.end(tag)
            }
        }
        return markup.finish()
    }

    private static func value(_ name: String, in attributes: Substring) -> String? {
        guard let start = attributes.firstRange(of: " \(name)=\"") else { return nil }
        return String(attributes[start.upperBound...].prefix { $0 != "\"" })
    }

    private mutating func begin(_ tag: String, _ attributes: Substring) {
        if let parent = open.last(where: Self.texts.contains), Self.blocks.contains(tag) {
            faults.append("<\(tag)> is in <\(parent)>")
        }
        if tag == "form", open.contains("form") { faults.append("a form is in a form") }
        if let id = Self.value("id", in: attributes), !ids.insert(id).inserted {
            faults.append("id \(id) is not unique")
        }
        for name in Self.references {
            for id in (Self.value(name, in: attributes) ?? "").split(separator: " ") {
                referenced.insert(String(id))
                if name == "for" { labelled.insert(String(id)) }
            }
        }
        if ["input", "select", "textarea"].contains(tag), Self.value("type", in: attributes) != "hidden",
            Self.value("aria-label", in: attributes) == nil,
            Self.value("aria-labelledby", in: attributes) == nil, !open.contains("label")
        {
            controls.append((Self.value("id", in: attributes), "<\(tag)\(attributes)>"))
        }
        if tag == "th", Self.value("scope", in: attributes) == nil { faults.append("<th> has no scope") }
        if tag == "img", Self.value("alt", in: attributes) == nil { faults.append("<img> has no alt") }
        if tag.count == 2, tag.first == "h", let level = tag.last?.wholeNumberValue { headings.append(level) }
        if !Self.void.contains(tag), !attributes.hasSuffix("/") { open.append(tag) }
    }

    private mutating func end(_ tag: String) {
        guard open.last == tag else {
            faults.append("</\(tag)> ends <\(open.last ?? "nothing")>")
            return
        }
        open.removeLast()
    }

    private mutating func finish() -> [String] {
        faults += open.map { "<\($0)> has no end" }
        faults += referenced.subtracting(ids).sorted().map { "no element has the id \($0)" }
        for control in controls where control.id.map(labelled.contains) != true {
            faults.append("\(control.tag) has no label")
        }
        if headings.count(where: { $0 == 1 }) != 1 { faults.append("the page does not have one h1") }
        for (former, next) in zip(headings, headings.dropFirst()) where next > former + 1 {
            faults.append("h\(next) follows h\(former)")
        }
        return faults
    }
}
