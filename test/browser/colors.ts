// Computes the contrast ratio of text as defined by WCAG.

/** Relative luminance of a color in the format of `getComputedStyle`. */
export function brightness(color: string): number {
  const [red = 0, green = 0, blue = 0] = (color.match(/[\d.]+/g) ?? []).map((part) => {
    const value = Number(part) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

export function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [brightness(a), brightness(b)].sort((left, right) => left - right);
  return (light + 0.05) / (dark + 0.05);
}
