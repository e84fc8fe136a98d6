"""Pictures as SVG text."""
from xml.sax.saxutils import escape

_WIDTH, _HEIGHT, _LEFT, _TOP = 640, 320, 80, 40


def bars(title, across, up, rectangles):
    """An SVG document of axes and bars.

    across, up  what the axes show
    rectangles  (left, right, bottom, top) in their units
    """
    low, high = min(each[0] for each in rectangles), max(each[1] for each in rectangles)
    bottom, top = min(0.0, *(each[2] for each in rectangles)), max(0.0, *(each[3] for each in rectangles))
    wide, tall = (high - low) or 1.0, (top - bottom) or 1.0

    def x(value):
        return _LEFT + (value - low) / wide * _WIDTH

    def y(value):
        return _TOP + (top - value) / tall * _HEIGHT

    drawn = [f'<rect x="{x(a):.2f}" y="{y(d):.2f}" width="{max(x(b) - x(a), 0.5):.2f}" height="{max(y(c) - y(d), 0.5 * (d != c)):.2f}"/>' for a, b, c, d in rectangles]
    foot, middle = _TOP + _HEIGHT, _LEFT + _WIDTH / 2
    texts = [(middle, 24, "middle", title), (_LEFT, foot + 18, "start", f"{low:.6g}"), (_LEFT + _WIDTH, foot + 18, "end", f"{high:.6g}"),
             (middle, foot + 34, "middle", across), (_LEFT - 6, _TOP + 10, "end", f"{top:.6g}"), (_LEFT - 6, foot, "end", f"{bottom:.6g}"),
             (_LEFT - 6, _TOP + _HEIGHT / 2, "end", up)]
    written = [f'<text x="{a:.0f}" y="{b:.0f}" text-anchor="{anchor}">{escape(text)}</text>' for a, b, anchor, text in texts]
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_LEFT + _WIDTH + 20} {foot + 44}" font-family="sans-serif" font-size="12">',
                      f'<path d="M{_LEFT} {_TOP}V{foot}H{_LEFT + _WIDTH}M{_LEFT} {y(0):.2f}H{_LEFT + _WIDTH}" fill="none" stroke="#888"/>',
                      f'<g fill="#36c">{"".join(drawn)}</g>', *written, "</svg>", ""])
