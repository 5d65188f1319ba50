/// A first-in, first-out queue on an array whose front is consumed. Each operation except
/// ``removeAll(where:)`` takes constant amortised time.
package struct FIFOQueue<Element: Sendable>: Sendable {
    private var elements: [Element] = []
    private var start = 0

    package init() {}

    package var isEmpty: Bool { start == elements.count }
    package var count: Int { elements.count - start }
    package var first: Element? { isEmpty ? nil : elements[start] }

    package mutating func append(_ element: Element) { elements.append(element) }

    /// Inserts the element before all others.
    package mutating func prepend(_ element: Element) {
        if start == 0 {
            elements.insert(element, at: 0)
        } else {
            start -= 1
            elements[start] = element
        }
    }

    package mutating func popFirst() -> Element? {
        guard let first else { return nil }
        start += 1
        if start == elements.count {
            elements.removeAll(keepingCapacity: elements.capacity <= 256)
            start = 0
        } else if start >= 64, start * 2 >= elements.count {
            elements.removeFirst(start)
            start = 0
        }
        return first
    }

    package mutating func replaceFirst(by element: Element) {
        if !isEmpty { elements[start] = element }
    }

    package mutating func removeAll(where isOut: (Element) -> Bool) {
        elements.removeFirst(start)
        start = 0
        elements.removeAll(where: isOut)
    }

    /// All elements, in order.
    package var all: ArraySlice<Element> { elements[start...] }
}
